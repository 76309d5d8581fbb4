"""What tables become: simulators, tensors, drawings, comparisons."""
