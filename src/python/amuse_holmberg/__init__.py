from .interface import Holmberg, HolmbergInterface
