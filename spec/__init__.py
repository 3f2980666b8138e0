"""What must be true of a system that runs long agent tasks. States; decides nothing; imports nothing of ours."""
