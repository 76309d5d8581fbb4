[[('coin', 'ok')], [('button', open('x'))]]
