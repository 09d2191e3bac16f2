// <Button label="Save" act={save} class="primary" />. Forms are submitted by a button of HTML.
import type { ButtonHTMLAttributes } from 'preact'
import type { IconNode } from 'lucide'
import { Icon } from './icon.js'

interface Props extends Omit<ButtonHTMLAttributes, 'type' | 'label' | 'icon'> {
  readonly label: string | number
  readonly act: () => void
  readonly icon?: IconNode
  /** Shows the icon alone, which the label names. */
  readonly isIcon?: boolean
}

export const Button = ({ label, act, icon, isIcon = false, ...attributes }: Props) => (
  <button
    type="button"
    onClick={act}
    {...(isIcon ? { 'aria-label': String(label), title: String(label) } : {})}
    {...attributes}
  >
    {icon && <Icon of={icon} />}
    {!isIcon && label}
  </button>
)
