import { invalid } from '../../../actors/refusal.js'
import { InvalidValue } from '../../../events/definition/forms/form.js'
import { fieldsReader } from '../../../events/definition/forms/forms.js'
import type { Fields, RequestBodyOf, Input, ResourceDefinition } from '../../../events/definition/types.js'

/**
 * Returns a function that converts request bodies of a resource definition to inputs, with defaults for absent fields.
 * @param failure the beginning of errors
 * @throws Refusal `invalid` from the returned function, for malformed durations and times
 */
export function inputsOf<F extends Fields>(
  definition: Pick<ResourceDefinition<F>, 'name' | 'fields'>,
  failure?: string
): (raw: RequestBodyOf<F>) => Input<F>
export function inputsOf(
  { name, fields }: Pick<ResourceDefinition, 'name' | 'fields'>,
  failure = `Bad request: ${name} decoding failed`
): (raw: unknown) => Readonly<Record<string, unknown>> {
  const read = fieldsReader(fields)
  return raw => {
    try {
      return read(raw)
    } catch (error) {
      throw error instanceof InvalidValue ? invalid('body.invalid', `${failure}: ${error.message}`) : error
    }
  }
}
