import * as Type from 'typebox'
import type { TSchema, TSchemaOptions } from 'typebox'
import { storeOf, type Form } from './form.js'

export const nullableSchema = (schema: TSchema, options: TSchemaOptions): TSchema =>
  Type.Union([schema, Type.Null()], options)

/** Null if omitted, which is stored and shown. */
const nullUnlessGiven = (form: Form): Form => {
  const store = storeOf(form)
  return {
    ...form,
    empty: null,
    store: said => (said === undefined || said === null ? null : store(said))
  }
}

export const orNull = (form: Form): Form => {
  const { parse } = form
  return {
    ...nullUnlessGiven(form),
    schema: (options, view) => nullableSchema(form.schema({}, view), options),
    ...(parse && { parse: (raw, path) => (raw === null ? null : parse(raw, path)) })
  }
}

/** As `orNull`, except that bodies cannot hold null. */
export const orNone = (form: Form): Form => ({
  ...nullUnlessGiven(form),
  schema: (options, view) =>
    view === 'shown' ? nullableSchema(form.schema({}, view), options) : form.schema(options, view)
})

/** Null in a body is the empty value of the inner form. */
export const nullTaken = (form: Form): Form => {
  const { empty, parse = raw => raw } = form
  return {
    ...form,
    schema: (options, view) =>
      view === 'shown' ? form.schema(options, view) : nullableSchema(form.schema(options, view), options),
    parse: empty === null ? form.parse : (raw, path) => (raw === null ? empty : parse(raw, path))
  }
}
