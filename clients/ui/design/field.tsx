// Labelled inputs: <Field label="Name" value={name} change={setName} required />
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { FieldFault, useFault } from './submit-form.js'
import type { Draft } from '../session/draft.js'

/** The properties of an input for a field of a draft. */
export const fieldOf = <T extends object, K extends keyof T>({ value, change }: Draft<T>, name: K) => ({
  name,
  value: value[name],
  change: (changed: T[K]): void => {
    const part: Partial<T> = {}
    part[name] = changed
    change(part)
  }
})

export interface FieldProps {
  readonly label: string
  readonly value: string
  readonly change: (text: string) => void
  /** Words by which messages of the server name the field, separated by `|`. */
  readonly name?: string
  readonly hint?: string
  /** Values that are offered, or pairs of a value and its title. */
  readonly options?: readonly (string | readonly [value: string, title: string])[]
  readonly isSecret?: boolean
  /** Calls `change` on Enter and on blur, with the trimmed text. */
  readonly isLazy?: boolean
  /** The height of a field with several lines. */
  readonly rows?: number
  readonly type?: 'number'
  readonly placeholder?: string
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly disabled?: boolean
  readonly onFocus?: () => void
}

interface Written {
  readonly currentTarget: { readonly value: string }
}

export const Field = (props: FieldProps) => {
  const { label, name, value, change, hint, options, isSecret = false, isLazy = false, rows, ...rest } = props
  const id = useId()
  const fault = useFault(name)
  const [written, setWritten] = useState(value)
  useEffect(() => setWritten(value), [value])
  const input = {
    ...rest,
    value: isLazy ? written : value,
    autocomplete: 'off',
    spellcheck: false,
    'aria-labelledby': `${id}-label`,
    'aria-describedby': [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined,
    'aria-invalid': fault !== undefined,
    onInput: ({ currentTarget }: Written) => (isLazy ? setWritten : change)(currentTarget.value),
    onChange: ({ currentTarget }: Written) => isLazy && change(currentTarget.value.trim())
  }
  return (
    <label data-field={name}>
      <span id={`${id}-label`}>{label}</span> {rows !== undefined && <textarea rows={rows} {...input} />}
      {rows === undefined &&
        (isSecret ? <input type="password" {...input} /> : <input list={options && id} {...input} />)}
      {options && (
        <datalist id={id}>
          {options.map(option => {
            const [offered, title] = typeof option === 'string' ? [option] : option
            return <option key={offered} value={offered} label={title} />
          })}
        </datalist>
      )}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      <FieldFault text={fault} id={`${id}-fault`} />
    </label>
  )
}

interface GroupProps {
  readonly title: string
  readonly name: string
  readonly children: ComponentChildren
}

/** Several controls that are one field. @param name as of Field */
export const FieldGroup = ({ title, name, children }: GroupProps) => (
  <div role="group" aria-label={title} class="field" data-field={name}>
    <span>{title}</span>
    {children}
    <FieldFault text={useFault(name)} />
  </div>
)

interface FileFieldProps {
  readonly label: string
  /** File name endings, separated by commas. */
  readonly accept: string
  readonly change: (file: File | undefined) => void
}

export const FileField = ({ label, accept, change }: FileFieldProps) => (
  <label>
    {label}
    <input type="file" accept={accept} onChange={({ currentTarget }) => change(currentTarget.files?.[0])} />
  </label>
)

interface CheckFieldProps {
  readonly label: string
  readonly value: boolean
  readonly change: (isChecked: boolean) => void
}

export const CheckField = ({ label, value, change }: CheckFieldProps) => (
  <label class="check">
    <input type="checkbox" checked={value} onInput={({ currentTarget }) => change(currentTarget.checked)} />{' '}
    {label}
  </label>
)

interface SelectProps {
  readonly label: string
  readonly value: string | number
  readonly change: (value: string) => void
  /** Values, or pairs of a value and its title. */
  readonly options: readonly (string | readonly [value: string | number, title: string])[]
  /** Shows the label in the tooltip only. */
  readonly isLabelHidden?: boolean
  readonly onFocus?: () => void
  /** Further options. */
  readonly children?: ComponentChildren
}

export const Select = (props: SelectProps) => {
  const { label, value, change, options, isLabelHidden = false, onFocus, children } = props
  const select = (
    <select
      {...(isLabelHidden ? { 'aria-label': label, title: label } : {})}
      onFocus={onFocus}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    >
      {options.map(option => {
        const [name, title] = typeof option === 'string' ? [option, option] : option
        return (
          <option key={name} value={name}>
            {title}
          </option>
        )
      })}
      {children}
    </select>
  )
  return isLabelHidden ? (
    select
  ) : (
    <label>
      <span>{label}</span> {select}
    </label>
  )
}
