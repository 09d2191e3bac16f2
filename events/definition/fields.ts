// Declares the fields of a shape: who says each, when it is stored, and when answers show it.
import type {
  AbsenceTracking,
  FieldAuthor,
  Field,
  Fields,
  ValueType,
  StoragePolicy,
  ResourceDefinition,
  Visibility
} from './types.js'

interface Options {
  /** `always` where it is always stored, `filled` where it is stored when filled. */
  readonly shown?: Visibility
  /** As `shown`. */
  readonly listed?: Visibility
  readonly filterable?: boolean
  /** True for what the caller says and is stored; false for what never changes. */
  readonly hashed?: boolean
  /** What stands for nothing said; the empty value of the form. */
  readonly otherwise?: unknown
}

interface Kind<
  F extends ValueType,
  By extends FieldAuthor,
  Has extends StoragePolicy,
  Lacks extends AbsenceTracking
> {
  readonly form: F
  readonly by: By
  readonly stored: Has
  readonly absence: Lacks
}

const isContent = ({
  form,
  by,
  stored
}: Kind<ValueType, FieldAuthor, StoragePolicy, AbsenceTracking>): boolean =>
  by === 'caller' && stored !== 'never' && form.type !== 'secret'

const declare = <
  F extends ValueType,
  By extends FieldAuthor,
  Has extends StoragePolicy,
  Lacks extends AbsenceTracking
>(
  kind: Kind<F, By, Has, Lacks>,
  description: string,
  { shown = kind.stored, listed = shown, filterable = true, hashed = isContent(kind), otherwise }: Options
): Field<F, By, Has, Lacks> => ({ ...kind, description, shown, listed, filterable, hashed, otherwise })

/** Said by the caller, and always stored: only for what the first events of the log have. See `added`. */
export const writable = <const F extends ValueType>(form: F, description: string, options: Options = {}) =>
  declare({ form, by: 'caller', stored: 'always', absence: 'empty' }, description, options)

/** As `given`; commands tell what was not said from what was said to be empty. */
export const presenceTracked = <const F extends ValueType>(
  form: F,
  description: string,
  options: Options = {}
) => declare({ form, by: 'caller', stored: 'always', absence: 'tracked' }, description, options)

/**
 * A caller's field, stored, shown and hashed unless empty. Fields that a new version adds are optional, because earlier
 * events lack them.
 */
export const optionalWritable = <const F extends ValueType>(
  form: F,
  description: string,
  options: Options = {}
) => declare({ form, by: 'caller', stored: 'filled', absence: 'empty' }, description, options)

/** Like `optionalWritable`, but commands distinguish an omitted value from an empty one. */
export const optionalPresenceTracked = <const F extends ValueType>(
  form: F,
  description: string,
  options: Options = {}
) => declare({ form, by: 'caller', stored: 'filled', absence: 'tracked' }, description, options)

/** A caller's field that only the decision reads. */
export const inputOnly = <const F extends ValueType>(form: F, description: string) =>
  declare({ form, by: 'caller', stored: 'never', absence: 'empty' }, description, { filterable: false })

/** Set by the service, and always stored. */
export const generated = <const F extends ValueType>(form: F, description: string, options: Options = {}) =>
  declare({ form, by: 'service', stored: 'always', absence: 'empty' }, description, options)

/** Set by the service, and stored where there is one. */
export const optionallyGenerated = <const F extends ValueType>(
  form: F,
  description: string,
  options: Options = {}
) => declare({ form, by: 'service', stored: 'filled', absence: 'empty' }, description, options)

/** Found by who answers, and stored elsewhere. */
export const computedField = <const F extends ValueType>(form: F, description: string) =>
  declare({ form, by: 'service', stored: 'never', absence: 'empty' }, description, {
    shown: 'from elsewhere'
  })

/** The same field where its empty value stands for none, and not null. */
export const nonNullable = <
  F extends ValueType,
  By extends FieldAuthor,
  Has extends StoragePolicy,
  Lacks extends AbsenceTracking
>(
  field: Field<{ readonly type: 'orNull' | 'nullTaken'; readonly of: F }, By, Has, Lacks>
): Field<F, By, Has, Lacks> => ({ ...field, form: field.form.of })

/** Accepted in bodies without effect. */
export const ignoredField = <const F extends ValueType>(form: F, description: string) =>
  declare({ form, by: 'service', stored: 'never', absence: 'empty' }, description, { filterable: false })

/** Tenancy of a resource, which its event holds instead of the payload. */
export const tenancyField = (description: string, { filterable = false }: Pick<Options, 'filterable'> = {}) =>
  declare({ form: { type: 'text' }, by: 'tenancy', stored: 'never', absence: 'empty' }, description, {
    shown: 'filled',
    filterable
  })

export const defineResource = <const F extends Fields>(
  declared: ResourceDefinition<F> & { readonly hashOrder?: readonly (keyof F)[] }
): ResourceDefinition<F> => declared
