// Forms that the fields of a resource definition declare. Text fields that a form does not mention follow at its end.
import type { ResourceDefinition } from '../../../../../events/definition/types.js'
import { fieldIn, type Fields, textIn } from '../../../resources/kind.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { Form, type FormProps, type ResourceFormProps } from './form.js'
import { inputOfType, type InputProps, type TypeInput } from './inputs.js'
import { type Draft, useDraft } from '../../../session/draft.js'

/** How a form shows a field, where its definition does not say so. */
interface Input extends Partial<TypeInput>, Partial<Omit<InputProps, 'value' | 'change' | 'place'>> {
  /** The value of a new resource. */
  readonly initial?: unknown
  /** The form sends the field, and does not show it. */
  readonly isHidden?: boolean
}

/** Inputs by the names of their fields, side by side. */
export type Row = Readonly<Record<string, Input>>

interface FieldsOptions {
  readonly definition: ResourceDefinition
  /** Undefined for a new resource. */
  readonly stored: object | undefined
  readonly inputs: readonly Row[]
}

interface FormFields {
  readonly draft: Draft<Fields>
  readonly rows: readonly Row[]
  readonly body: () => object
}

/** The form sends the stored value. */
export const UNCHANGED: Input = { isHidden: true, read: value => value, write: value => value }
/** The form sends no value. */
export const OMITTED: Input = { isHidden: true, write: () => undefined }

export const useFields = ({ definition: { fields }, stored, inputs }: FieldsOptions): FormFields => {
  const mentioned = new Set(inputs.flatMap(Object.keys))
  const further = Object.entries(fields)
    .filter(([name, { by, form }]) => by === 'caller' && form.type === 'text' && !mentioned.has(name))
    .map(([name, { description: hint }]): Row => ({ [name]: { hint } }))
  const rows = [...inputs, ...further].map(row =>
    Object.fromEntries(
      Object.entries(row).map(([name, input]) => [name, { ...inputOfType(fields[name]?.form), ...input }])
    )
  )
  const all = rows.flatMap(row => Object.entries(row))
  const stated = all.map(([name, { read, initial }]) => [name, read(fieldIn(stored, name) ?? initial)])
  const draft = useDraft<Fields>(Object.fromEntries(stated), Number(fieldIn(stored, 'ModifyIndex') ?? 0))
  const body = () => Object.fromEntries(all.map(([name, { write }]) => [name, write(draft.value[name])]))
  return { draft, rows, body }
}

interface InputsProps extends Pick<FormFields, 'draft' | 'rows'> {
  readonly place: TenancyQuery
}

export const Inputs = ({ draft, rows, place }: InputsProps) => (
  <>
    {rows.map(row => {
      const shown = Object.entries(row).filter(([, { isHidden = false }]) => !isHidden)
      const inputs = shown.map(
        ([name, { Input, read: _read, write: _write, initial: _initial, ...input }]) =>
          Input && (
            <Input
              key={name}
              label={name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')}
              name={name}
              {...input}
              place={place}
              value={draft.value[name]}
              change={value => draft.change({ [name]: value })}
            />
          )
      )
      return inputs.length > 1 ? <div class="columns">{inputs}</div> : inputs
    })}
  </>
)

interface Props<T>
  extends FieldsOptions, Omit<ResourceFormProps<T>, 'stored'>, Pick<FormProps<T>, 'label' | 'hasImpact'> {
  /** The list in which the name of a new resource must be free. */
  readonly uniqueIn?: string
}

export const FieldsForm = <T,>({ definition, stored, inputs, uniqueIn, ...form }: Props<T>) => {
  const { draft, rows, body } = useFields({ definition, stored, inputs })
  const name = textIn(draft.value, 'Name').trim().toLowerCase()
  const unique = uniqueIn === undefined ? {} : { unique: { list: uniqueIn, name } }
  return (
    <Form {...form} {...unique} draft={draft} body={body}>
      <Inputs draft={draft} rows={rows} place={form.target.place} />
    </Form>
  )
}
