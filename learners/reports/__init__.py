"""Pages and charts about runs."""
