"""The actor that makes the files of exports."""
