// A text field with a list of matches: <Combobox label="Policy" options={…} choose={value => …} />. Short lists use <select>.
import { useId, useMemo, useState } from 'preact/hooks'
import { collection as collected, connect, machine } from '@zag-js/combobox'
import { normalizeProps, useMachine } from '@zag-js/preact'

export interface Option {
  readonly value: string
  readonly label: string
  /** Distinguishes options with the same label. */
  readonly hint?: string
}

interface Props {
  readonly label: string
  readonly options: readonly Option[]
  readonly choose: (value: string) => void
  readonly placeholder?: string
  /** Further options for the text, which are not filtered. */
  readonly others?: readonly Option[]
  readonly onText?: (text: string) => void
  /** When present, the list is always open, and this is called when the user leaves it. */
  readonly close?: () => void
}

const MAX_OPTIONS = 50

const matchesIn = (options: readonly Option[], text: string): readonly Option[] => {
  const search = text.trim().toLowerCase()
  const matches: Option[] = []
  for (const option of options) {
    if (matches.length === MAX_OPTIONS) break
    if (`${option.label} ${option.hint ?? ''}`.toLowerCase().includes(search)) matches.push(option)
  }
  return matches
}

const NONE: readonly Option[] = []

export const Combobox = ({ label, options, choose, placeholder, others = NONE, onText, close }: Props) => {
  const [text, setText] = useState('')
  const items = useMemo(() => [...matchesIn(options, text), ...others], [options, others, text])
  const collection = useMemo(
    () => collected({ items, itemToValue: ({ value }) => value, itemToString: option => option.label }),
    [items]
  )
  const service = useMachine(machine, {
    id: useId(),
    collection,
    placeholder,
    open: close ? true : undefined,
    onOpenChange: ({ open }) => {
      if (!open) close?.()
    },
    openOnClick: true,
    inputBehavior: 'autohighlight',
    selectionBehavior: 'clear',
    value: [],
    onInputValueChange: ({ inputValue }) => {
      setText(inputValue)
      onText?.(inputValue)
    },
    onValueChange: ({ value: [value] }) => {
      if (value !== undefined) choose(value)
    }
  })
  const api = connect(service, normalizeProps)
  // The types of zag-js leave the kind of the input open.
  const { type: _type, role: _role, ...input } = api.getInputProps()
  return (
    <div class="combobox" {...api.getRootProps()}>
      <div {...api.getControlProps()}>
        <input {...input} type="text" role="combobox" aria-label={label} />
      </div>
      <div {...(close ? {} : api.getPositionerProps())}>
        <ul {...api.getContentProps()} aria-label={label}>
          {items.map(item => (
            <li key={item.value} {...api.getItemProps({ item })}>
              <span>{item.label}</span>
              {item.hint && <small>{item.hint}</small>}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
