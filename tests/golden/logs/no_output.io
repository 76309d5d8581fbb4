coin/ok,button
