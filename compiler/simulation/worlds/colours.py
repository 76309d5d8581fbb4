"""Colours that images of worlds and drawings of agents share, on light paper."""

PAPER, INK, ACCENT = "#ffffff", "#1c2330", "#d6336c"
GREEN, BLUE, AMBER, GREY = "#2f8f4e", "#3b78c4", "#c98a1b", "#8a94a4"
CRIMSON, RED, PINK, VIOLET = "#b04a5a", "#c93434", "#b8548a", "#9a7ac7"
BORDERS = (GREEN, BLUE, AMBER, GREY, CRIMSON, RED, PINK, VIOLET)
