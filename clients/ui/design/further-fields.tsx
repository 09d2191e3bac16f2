// Inputs for the text fields of a resource definition that a form does not mention.
import type { ResourceDefinition } from '../../../events/definition/types.js'
import { Field } from './field.js'

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

interface Props {
  readonly definition: ResourceDefinition
  readonly value: Texts
  readonly change: (value: Texts) => void
}

export const FurtherFields = ({ definition: { fields }, value, change }: Props) => (
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
