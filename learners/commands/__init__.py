"""The commands of the learners; each module defines one as `command`."""
