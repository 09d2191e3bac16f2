// Derives the schemas of bodies and responses from resource definitions.
import * as Type from 'typebox'
import type { TObject, TSchema, TSchemaOptions, TUnsafe } from 'typebox'
import type {
  Field,
  Fields,
  ValueType,
  RequestBodyOf,
  ResourceDefinition
} from '../../events/definition/types.js'
import { SCHEMA_BY_TYPE, strict, text, unsigned, wholeNumber } from './strict.js'

type View = 'given' | 'shown'

const nullable = (schema: TSchema, options: TSchemaOptions): TSchema =>
  Type.Union([schema, Type.Null()], options)

const textOr = (number: TSchema, options: TSchemaOptions): TSchema =>
  Type.Union([Type.String(), number], options)

const objectSchema = (
  { name, fields, isOpen }: Extract<ValueType, { type: 'object' }>,
  options: TSchemaOptions,
  view: View
): TSchema => {
  const isShown = view === 'shown'
  const named = name === undefined ? options : { ...options, $id: isShown ? name : `${name}Input` }
  if (isShown) return Type.Object(viewFields(fields, 'shown'), named)
  return isOpen ? Type.Object(writableFields(fields), named) : strict(writableFields(fields), named)
}

const schemaOf = (form: ValueType, options: TSchemaOptions, view: View): TSchema => {
  const isShown = view === 'shown'
  const inner = (of: ValueType): TSchema => schemaOf(of, {}, view)
  switch (form.type) {
    case 'text':
    case 'secret':
      return Type.String(options)
    case 'choice': {
      const choices = form.of.map(choice => Type.Literal(choice))
      return isShown ? Type.Union(choices, options) : Type.String(options)
    }
    case 'time':
      return Type.String(isShown ? { ...options, format: 'date-time' } : options)
    case 'flag':
      return Type.Boolean(options)
    case 'integer':
      return isShown ? Type.Integer(options) : wholeNumber(options)
    case 'unsigned':
      return isShown ? Type.Integer({ minimum: 0, ...options }) : unsigned(options)
    case 'duration':
      return isShown ? Type.String(options) : textOr(Type.Integer(), options)
    case 'durationText':
      return isShown ? Type.String(options) : textOr(Type.Number(), options)
    case 'delay':
    case 'nanoseconds':
      return isShown ? Type.Integer(options) : textOr(Type.Number(), options)
    case 'links':
      return Type.Array(isShown ? LINK : LINK_INPUT, options)
    case 'list':
      return Type.Array(inner(form.of), options)
    case 'map':
      return Type.Record(Type.String(), inner(form.of), options)
    case 'object':
      return objectSchema(form, options, view)
    case 'orNull':
      return nullable(inner(form.of), options)
    case 'orNone':
      return isShown ? nullable(inner(form.of), options) : schemaOf(form.of, options, view)
    case 'nullTaken': {
      const schema = schemaOf(form.of, options, view)
      return isShown ? schema : nullable(schema, options)
    }
    case 'empty':
      if (isShown) return Type.Unknown(options)
      return form.of === 'list'
        ? Type.Array(Type.Unknown(), { ...options, maxItems: 0 })
        : Type.Literal(form.of === 'flag' ? false : '', options)
    case 'free':
      return Type.Record(Type.String(), Type.Unknown(), options)
  }
}

const LINK_INPUT = strict(
  {
    ID: text('ID of what is linked; when given it alone decides'),
    Name: text('Name of what is linked; its letter case does not matter')
  },
  { $id: 'LinkInput' }
)

const LINK = Type.Object({ ID: Type.String(), Name: Type.String() }, { $id: 'Link' })

/** The schemas of free fields, by name. See `SCHEMA_BY_TYPE`. */
export type JsonObjectTypes = Readonly<Record<string, readonly TSchema[]>>

const optionsOf = (name: string, { description }: Field, free: JsonObjectTypes): TSchemaOptions => ({
  description,
  ...(free[name] ? { [SCHEMA_BY_TYPE]: free[name] } : {})
})

/** Returns the schemas of fields in a body. */
export const writableFields = (fields: Fields, free: JsonObjectTypes = {}): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const fallback = field.otherwise === undefined ? {} : { default: field.otherwise }
      return [
        name,
        Type.Optional(schemaOf(field.form, { ...optionsOf(name, field, free), ...fallback }, 'given'))
      ]
    })
  )

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

const shownField = (form: ValueType, shows: Field['shown'], options: TSchemaOptions): TSchema => {
  if (shows === 'always') return schemaOf(form, options, 'shown')
  if (shows === 'nullable') return nullable(schemaOf(form, {}, 'shown'), options)
  const filled = shows === 'filled' && form.type === 'orNull' ? form.of : form
  return Type.Optional(schemaOf(filled, options, 'shown'))
}

/** Returns the schemas of fields in a response. */
export const viewFields = (
  fields: Fields,
  which: 'shown' | 'listed',
  free: JsonObjectTypes = {}
): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field[which] !== 'never')
      .map(([name, field]) => [name, shownField(field.form, field[which], optionsOf(name, field, free))])
  )

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
