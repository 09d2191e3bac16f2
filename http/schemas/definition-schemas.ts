// Derives the schemas of bodies and responses from resource definitions.
import * as Type from 'typebox'
import type { TObject, TUnsafe } from 'typebox'
import { viewFields, writableFields, type JsonObjectTypes } from '../../events/definition/forms/forms.js'
import type { Fields, RequestBodyOf, ResourceDefinition } from '../../events/definition/types.js'
import { strict } from './view.js'

/** Returns the schema of a body. Every field is optional, and undeclared fields are errors. */
export const bodySchema = <F extends Fields>(
  shape: ResourceDefinition<F>,
  free?: JsonObjectTypes
): TUnsafe<RequestBodyOf<F>> => {
  const options = { $id: `${shape.name}Input`, examples: [shape.example.given] }
  return Type.Unsafe(strict(writableFields(requestFields(shape), free), options))
}

/** Returns the fields that a body may have. */
export const requestFields = ({ fields, isNotSentBack }: ResourceDefinition): Fields =>
  isNotSentBack ? Object.fromEntries(Object.entries(fields).filter(([, { by }]) => by !== 'service')) : fields

/** Returns the example of a resource in responses. */
export const viewExample = ({ fields, example }: ResourceDefinition, which: 'shown' | 'listed'): object => {
  const all: Readonly<Record<string, unknown>> = { ...example.given, ...example.made }
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, field]) => field[which] === 'nullable' || (field[which] !== 'never' && name in all))
      .map(([name]) => [name, all[name] ?? null])
  )
}

/** Returns the schema of a resource in responses. */
export const responseSchema = (shape: ResourceDefinition, free?: JsonObjectTypes): TObject =>
  Type.Object(viewFields(shape.fields, 'shown', free), {
    $id: shape.answerName ?? shape.name,
    examples: [viewExample(shape, 'shown')]
  })

/** Returns the schema of a list entry. */
export const entrySchema = (shape: ResourceDefinition): TObject =>
  Type.Object(viewFields(shape.fields, 'listed'), {
    $id: `${shape.name}Entry`,
    examples: [viewExample(shape, 'listed')]
  })
