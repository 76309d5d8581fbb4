"""The playground: the language in a browser, with an editor, the state graph and a replay."""
