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

/** Saves content as a file of the user. */
export const saveFile = (name: string, content: Blob | string): void => {
  const address = URL.createObjectURL(new Blob([content]))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has started to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

interface ChoiceProps {
  readonly label: string
  readonly options: readonly (readonly [value: string, title: string])[]
  readonly chosen: string
  readonly choose: (value: string) => void
}

/** A button for each of a few values. */
export const Choice = ({ label, options, chosen, choose }: ChoiceProps) => (
  <div class="choices" role="group" aria-label={label}>
    {options.map(([value, title]) => (
      <Button key={value} label={title} act={() => choose(value)} aria-pressed={chosen === value} />
    ))}
  </div>
)

/** The usual periods before now. */
export const PERIODS = [
  ['15m', '15 min'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days']
] as const
