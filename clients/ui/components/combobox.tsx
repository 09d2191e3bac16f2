// One of many, found by typing: <Combobox label="Policy" options={…} choose={value => …} />. Arrow keys go through
// what was found, Enter takes it. For a few things that are known by heart, take a <select>.
import { useId, useMemo, useState } from 'preact/hooks'
import { collection as collected, connect, machine } from '@zag-js/combobox'
import { normalizeProps, useMachine } from '@zag-js/preact'

export interface Option {
  readonly value: string
  readonly label: string
  /** What tells it from others of the same label. */
  readonly hint?: string
}

interface Props {
  readonly label: string
  readonly options: readonly Option[]
  readonly choose: (value: string) => void
  readonly placeholder?: string
  /** What else may be chosen by a text. It must be the same function always. */
  readonly others?: (text: string) => readonly Option[]
  /** The list is always there, and this is called when people have done with it. */
  readonly close?: () => void
}

/** Of more, those come into view that one types more of. */
const MOST = 50

const found = (options: readonly Option[], text: string): readonly Option[] => {
  const wanted = text.trim().toLowerCase()
  const some: Option[] = []
  for (const option of options) {
    if (some.length === MOST) break
    if (`${option.label} ${option.hint ?? ''}`.toLowerCase().includes(wanted)) some.push(option)
  }
  return some
}

const none = (): readonly Option[] => []

export const Combobox = ({ label, options, choose, placeholder, others = none, close }: Props) => {
  const [text, setText] = useState('')
  const items = useMemo(() => [...found(options, text), ...others(text)], [options, others, text])
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
    onInputValueChange: ({ inputValue }) => setText(inputValue),
    onValueChange: ({ value: [value] }) => {
      if (value !== undefined) choose(value)
    }
  })
  const api = connect(service, normalizeProps)
  // Their types leave open which input it is.
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
