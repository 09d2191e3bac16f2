// <Icon of={Plus} /> draws an icon of lucide. The text beside it, or the label of its control, names it for screen readers.
import type { IconNode } from 'lucide'
import { createElement } from 'preact'

export const Icon = ({ of }: { readonly of: IconNode }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    {of.map(([element, { ...attributes }], at) => createElement(element, { ...attributes, key: at }))}
  </svg>
)
