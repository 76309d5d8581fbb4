// A verdict belongs to the text that it was given for: beside another text it looks old, until that text is back.

const givenFor = new Map(); // from an element to the text
let current = "";

function mark(element) { element.classList.toggle("old", givenFor.get(element) !== current); }

// What is filled into the element from now on is about the text that is on screen now.
export function judging(element) {
  givenFor.set(element, current);
  mark(element);
}
export function textIs(text) {
  current = text;
  for (const element of givenFor.keys())
    if (element.isConnected) mark(element); else givenFor.delete(element);
}
