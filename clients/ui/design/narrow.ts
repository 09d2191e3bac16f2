// Whether the screen is narrow, as in the media queries of the style sheets.
import { signal } from '@preact/signals'

const query = matchMedia('(max-width: 40rem)')

export const isNarrow = signal(query.matches)

query.addEventListener('change', ({ matches }) => (isNarrow.value = matches))
