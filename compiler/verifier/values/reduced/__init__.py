"""The part of `verify` that checks words in which letters cancel: (V15) is in `spots`."""
