"""The part of `verify` that checks words in which letters cancel: (V16) is in `spots`."""
