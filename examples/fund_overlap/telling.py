"""What the story prints."""

from rich.console import Console

console = Console(highlight=False, soft_wrap=True)


def title(text: str) -> None:
    """A new part of the story."""
    console.print(f"\n[bold]{text}[/]")


def tell(text: str) -> None:
    """One sentence, which may have markup."""
    console.print(f"  {text}")


def quote(text: str) -> None:
    """A line that can be pasted into a shell as it stands."""
    console.print(text, markup=False, style="dim")
