// <Button label="Save" act={save} class="primary" />. Forms are submitted by a button of HTML.
import type { ButtonHTMLAttributes } from 'preact'
import type { IconNode } from 'lucide'
import { Icon } from './icon.js'
import { useState } from 'preact/hooks'
import { messageOf } from '../../../events/errors.js'
import { Refusal } from './notice.js'

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

export const CopyButton = ({ text }: { readonly text: string }) => {
  const [isCopied, setIsCopied] = useState(false)
  const [failure, setFailure] = useState<string>()
  if (!window.isSecureContext) return null
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      (error: unknown) => setFailure(messageOf(error))
    )
  }
  return (
    <>
      <Button label={isCopied ? 'Copied' : 'Copy'} act={copy} />
      <Refusal text={failure} />
    </>
  )
}
