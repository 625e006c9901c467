// Never run: its presence tells the tool.
