// Labelled inputs: <Field label="Name" value={name} change={setName} required />
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Draft } from '../session/use-response.js'
import type { ResourceDefinition } from '../../../events/definition/types.js'

/** The value of a field of a draft and its change, as properties of an input. */
export const fieldOf = <T extends object, K extends keyof T>({ value, change }: Draft<T>, name: K) => ({
  value: value[name],
  change: (changed: T[K]): void => {
    const part: Partial<T> = {}
    part[name] = changed
    change(part)
  }
})

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly change: (text: string) => void
  readonly hint?: string
  /** Values that are offered, or pairs of a value and its title. */
  readonly options?: readonly (string | readonly [value: string, title: string])[]
  readonly isSecret?: boolean
  /** Calls `change` on Enter and on blur, with the trimmed text. */
  readonly isLazy?: boolean
  readonly class?: string
  readonly type?: 'number'
  readonly placeholder?: string
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly disabled?: boolean
  readonly onFocus?: () => void
}

export const Field = (props: FieldProps) => {
  const { label, change, hint, options, isSecret = false, isLazy = false, ...rest } = props
  const id = useId()
  const input = {
    ...rest,
    autocomplete: 'off',
    [isLazy ? 'onChange' : 'onInput']: ({
      currentTarget: { value }
    }: {
      readonly currentTarget: HTMLInputElement
    }) => change(isLazy ? value.trim() : value)
  }
  return (
    <label>
      <span>{label}</span>{' '}
      {isSecret ? <input type="password" {...input} /> : <input list={options && id} {...input} />}
      {options && (
        <datalist id={id}>
          {options.map(option => {
            const [name, title] = typeof option === 'string' ? [option] : option
            return <option key={name} value={name} label={title} />
          })}
        </datalist>
      )}
      {hint && <small>{hint}</small>}
    </label>
  )
}

interface TextAreaProps extends Pick<
  FieldProps,
  'label' | 'value' | 'change' | 'placeholder' | 'required' | 'disabled'
> {
  readonly rows: number
}

export const TextArea = ({ label, change, ...rest }: TextAreaProps) => (
  <label>
    <span>{label}</span>{' '}
    <textarea
      {...rest}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
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

interface Props {
  readonly value: string
  readonly change: (text: string) => void
}

export const ReasonInput = ({ value, change }: Props) => (
  <input
    aria-label="Reason"
    placeholder="Reason (optional)"
    value={value}
    onInput={({ currentTarget }) => change(currentTarget.value)}
  />
)

type Texts = Readonly<Record<string, string>>

/**
 * Returns the values of the text fields that callers set, without those of the form.
 * @param known the fields of the form
 * @param stored undefined for a new resource
 */
export const furtherTexts = (
  { fields }: ResourceDefinition,
  known: readonly string[],
  stored: object | undefined
): Texts => {
  const values = new Map<string, unknown>(Object.entries(stored ?? {}))
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, { by, form }]) => by === 'caller' && form.type === 'text' && !known.includes(name))
      .map(([name]) => {
        const value = values.get(name)
        return [name, typeof value === 'string' ? value : '']
      })
  )
}

interface FurtherProps {
  readonly definition: ResourceDefinition
  readonly value: Texts
  readonly change: (value: Texts) => void
}

/** Inputs for the text fields of a resource definition that a form does not mention. */
export const FurtherFields = ({ definition: { fields }, value, change }: FurtherProps) => (
  <>
    {Object.entries(value).map(([name, text]) => (
      <Field
        key={name}
        label={name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')}
        hint={fields[name]?.description ?? ''}
        value={text}
        change={changed => change({ ...value, [name]: changed })}
      />
    ))}
  </>
)
