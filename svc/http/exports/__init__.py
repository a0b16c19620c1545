"""The door of exports."""
