"""The door of imports: uploads in parts, and the files that imports leave."""
