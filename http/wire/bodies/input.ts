import { invalid } from '../../../actors/refusal.js'
import { InvalidValue } from '../../../events/definition/forms/form.js'
import { fieldsReader, incomplete, isCompleteFor } from '../../../events/definition/forms/forms.js'
import type { Fields, RequestBodyOf, Input, ResourceDefinition } from '../../../events/definition/types.js'

/**
 * Returns a function that converts request bodies of a resource definition to inputs, with defaults for absent fields.
 * @param failure the beginning of errors
 * @throws Refusal `invalid` from the returned function, for malformed durations and times
 */
export const inputsOf = <F extends Fields>(
  { name, fields }: Pick<ResourceDefinition<F>, 'name' | 'fields'>,
  failure = `Bad request: ${name} decoding failed`
) => {
  const read = fieldsReader(fields)
  const isComplete = isCompleteFor(fields, ({ by }) => by === 'caller')
  return (raw: RequestBodyOf<F>): Input<F> => {
    try {
      const input = read(raw)
      if (isComplete<Input<F>>(input)) return input
      throw incomplete(`the input of a ${name}`)
    } catch (error) {
      throw error instanceof InvalidValue ? invalid('body.invalid', `${failure}: ${error.message}`) : error
    }
  }
}
