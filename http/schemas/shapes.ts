// The schemas of bodies and of answers that follow from shapes.
import * as Type from 'typebox'
import type { TObject, TSchema, TSchemaOptions, TUnsafe } from 'typebox'
import type { Field, Fields, Form, Given, Shape } from '../../events/shape/types.js'
import { strict, wholeNumber } from './strict.js'

const given = (form: Form, options: TSchemaOptions): TSchema => {
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
    case 'duration':
      return Type.Union([Type.String(), Type.Integer()], options)
    case 'links':
      return Type.Array(LINK, options)
    case 'list':
      return Type.Array(given(form.of, {}), options)
    case 'map':
      return Type.Record(Type.String(), given(form.of, {}), options)
    case 'object':
      return strict(givenFields(form.fields), options)
    case 'free':
      return Type.Record(Type.String(), Type.Unknown(), options)
  }
}

const LINK = strict({
  ID: Type.Optional(Type.String({ description: 'ID of what is linked; when given it alone decides' })),
  Name: Type.Optional(Type.String({ description: 'Name of what is linked; its letter case does not matter' }))
})

const givenFields = (fields: Fields): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { form, description }]) => [
      name,
      Type.Optional(given(form, { description }))
    ])
  )

/** What a body may hold: every field is optional, and one that is not declared an error. */
export const bodySchema = <F extends Fields>({ name, fields }: Shape<F>): TUnsafe<Given<F>> =>
  Type.Unsafe(strict(givenFields(fields), { $id: `${name}Input` }))

const shown = (form: Form, options: TSchemaOptions): TSchema => {
  switch (form.type) {
    case 'text':
    case 'secret':
    case 'duration':
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
      return Type.Integer(options)
    case 'links':
      return Type.Array(SHOWN_LINK, options)
    case 'list':
      return Type.Array(shown(form.of, {}), options)
    case 'map':
      return Type.Record(Type.String(), shown(form.of, {}), options)
    case 'object':
      return Type.Object(shownFields(form.fields, 'shown'), options)
    case 'free':
      return Type.Record(Type.String(), Type.Unknown(), options)
  }
}

const SHOWN_LINK = Type.Object({ ID: Type.String(), Name: Type.String() })

const shownField = ({ form, description }: Field, shows: Field['shown']): TSchema =>
  shows === 'always'
    ? shown(form, { description })
    : shows === 'nullable'
      ? Type.Union([shown(form, {}), Type.Null()], { description })
      : Type.Optional(shown(form, { description }))

const shownFields = (fields: Fields, which: 'shown' | 'listed'): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field[which] !== 'never')
      .map(([name, field]) => [name, shownField(field, field[which])])
  )

/** What an answer about one holds. */
export const answerSchema = ({ name, fields }: Shape): TObject =>
  Type.Object(shownFields(fields, 'shown'), { $id: name })

/** What an entry of a list holds. */
export const entrySchema = ({ name, fields }: Shape): TObject =>
  Type.Object(shownFields(fields, 'listed'), { $id: `${name}Entry` })
