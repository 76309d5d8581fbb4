"""Models, recipes, and the engines that train them."""
