// The schemas of bodies and of answers that follow from shapes.
import * as Type from 'typebox'
import type { TObject, TSchema, TSchemaOptions, TUnsafe } from 'typebox'
import type {
  Field,
  Fields,
  ValueType,
  RequestBodyOf,
  ResourceDefinition
} from '../../events/definition/types.js'
import { SCHEMA_BY_TYPE, strict, unsigned, wholeNumber } from './strict.js'

const given = (form: ValueType, options: TSchemaOptions): TSchema => {
  switch (form.type) {
    case 'text':
    case 'secret':
    case 'choice':
    case 'time':
      return Type.String(options)
    case 'flag':
      return Type.Boolean(options)
    case 'integer':
      return wholeNumber(options)
    case 'unsigned':
      return unsigned(options)
    case 'duration':
      return Type.Union([Type.String(), Type.Integer()], options)
    case 'delay':
    case 'nanoseconds':
    case 'durationText':
      return Type.Union([Type.String(), Type.Number()], options)
    case 'links':
      return Type.Array(LINK, options)
    case 'list':
      return Type.Array(given(form.of, {}), options)
    case 'map':
      return Type.Record(Type.String(), given(form.of, {}), options)
    case 'object': {
      const named = form.name === undefined ? options : { ...options, $id: `${form.name}Input` }
      const fields = writableFields(form.fields)
      return form.isOpen ? Type.Object(fields, named) : strict(fields, named)
    }
    case 'orNone':
      return given(form.of, options)
    case 'empty':
      return form.of === 'list'
        ? Type.Array(Type.Unknown(), { ...options, maxItems: 0 })
        : Type.Literal(form.of === 'flag' ? false : '', options)
    case 'orNull':
      return Type.Union([given(form.of, {}), Type.Null()], options)
    case 'nullTaken':
      return Type.Union([given(form.of, options), Type.Null()], options)
    case 'free':
      return Type.Record(Type.String(), Type.Unknown(), options)
  }
}

const LINK = strict(
  {
    ID: Type.Optional(Type.String({ description: 'ID of what is linked; when given it alone decides' })),
    Name: Type.Optional(
      Type.String({ description: 'Name of what is linked; its letter case does not matter' })
    )
  },
  { $id: 'LinkInput' }
)

/** What free fields of a shape hold, by name: see FORMS. */
export type JsonObjectTypes = Readonly<Record<string, readonly TSchema[]>>

const optionsOf = (name: string, { description }: Field, free: JsonObjectTypes): TSchemaOptions => ({
  description,
  ...(free[name] ? { [SCHEMA_BY_TYPE]: free[name] } : {})
})

const defaultOf = ({ otherwise }: Field): TSchemaOptions =>
  otherwise === undefined ? {} : { default: otherwise }

/** What a body may hold of fields. */
export const writableFields = (fields: Fields, free: JsonObjectTypes = {}): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      Type.Optional(given(field.form, { ...optionsOf(name, field, free), ...defaultOf(field) }))
    ])
  )

/** What a body may hold: every field is optional, and one that is not declared an error. */
export const bodySchema = <F extends Fields>(
  shape: ResourceDefinition<F>,
  free?: JsonObjectTypes
): TUnsafe<RequestBodyOf<F>> => {
  const { name, example } = shape
  return Type.Unsafe(
    strict(writableFields(requestFields(shape), free), { $id: `${name}Input`, examples: [example.given] })
  )
}

/** What bodies may hold. */
export const requestFields = ({ fields, isNotSentBack }: ResourceDefinition): Fields =>
  isNotSentBack ? Object.fromEntries(Object.entries(fields).filter(([, { by }]) => by !== 'service')) : fields

const shown = (form: ValueType, options: TSchemaOptions): TSchema => {
  switch (form.type) {
    case 'text':
    case 'secret':
    case 'duration':
    case 'durationText':
      return Type.String(options)
    case 'choice':
      return Type.Union(
        form.of.map(choice => Type.Literal(choice)),
        options
      )
    case 'time':
      return Type.String({ ...options, format: 'date-time' })
    case 'flag':
      return Type.Boolean(options)
    case 'integer':
    case 'delay':
    case 'nanoseconds':
      return Type.Integer(options)
    case 'unsigned':
      return Type.Integer({ minimum: 0, ...options })
    case 'orNull':
    case 'orNone':
      return Type.Union([shown(form.of, {}), Type.Null()], options)
    case 'links':
      return Type.Array(SHOWN_LINK, options)
    case 'list':
      return Type.Array(shown(form.of, {}), options)
    case 'map':
      return Type.Record(Type.String(), shown(form.of, {}), options)
    case 'object':
      return Type.Object(
        viewFields(form.fields, 'shown'),
        form.name === undefined ? options : { ...options, $id: form.name }
      )
    case 'empty':
      return Type.Unknown(options)
    case 'nullTaken':
      return shown(form.of, options)
    case 'free':
      return Type.Record(Type.String(), Type.Unknown(), options)
  }
}

const SHOWN_LINK = Type.Object({ ID: Type.String(), Name: Type.String() }, { $id: 'Link' })

const shownField = (form: ValueType, shows: Field['shown'], options: TSchemaOptions): TSchema =>
  shows === 'always'
    ? shown(form, options)
    : shows === 'nullable'
      ? Type.Union([shown(form, {}), Type.Null()], options)
      : Type.Optional(shown(shows === 'filled' && form.type === 'orNull' ? form.of : form, options))

/** What answers hold of fields. */
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

/** The example of a shape as answers show it. */
export const viewExample = ({ fields, example }: ResourceDefinition, which: 'shown' | 'listed'): object => {
  const all: Readonly<Record<string, unknown>> = { ...example.given, ...example.made }
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, field]) => field[which] === 'nullable' || (field[which] !== 'never' && name in all))
      .map(([name]) => [name, all[name] ?? null])
  )
}

/** What an answer about one holds. */
export const responseSchema = (shape: ResourceDefinition, free?: JsonObjectTypes): TObject =>
  Type.Object(viewFields(shape.fields, 'shown', free), {
    $id: shape.answerName ?? shape.name,
    examples: [viewExample(shape, 'shown')]
  })

/** What an entry of a list holds. */
export const entrySchema = (shape: ResourceDefinition): TObject =>
  Type.Object(viewFields(shape.fields, 'listed'), {
    $id: `${shape.name}Entry`,
    examples: [viewExample(shape, 'listed')]
  })
