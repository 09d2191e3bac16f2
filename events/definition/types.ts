/** What the values of a field look like. It is plain data: schemas, filters, readers and writers are all made of it. */
export type ValueType =
  | { readonly type: 'text' }
  /** A text that an event's payload holds empty: the real one travels in its `Secrets`. */
  | { readonly type: 'secret' }
  /** One of some texts. A body may hold any: the decision refuses the others in its own words. */
  | { readonly type: 'choice'; readonly of: readonly string[] }
  | { readonly type: 'flag' }
  /** A whole number that a JSON number holds exactly. */
  | { readonly type: 'integer' }
  /** 0 to 2^64-1. Above 2^53-1, which a JSON number does not hold exactly, it is stored as decimal text. */
  | { readonly type: 'unsigned' }
  /** RFC 3339, kept with the zone and the precision that were given. */
  | { readonly type: 'time' }
  /** Nanoseconds; in bodies also a text such as 1h30m, which answers show. */
  | { readonly type: 'duration' }
  /** Links by ID or name; stored with both, and shown with the names that their targets have now. */
  | { readonly type: 'links'; readonly to: LinkTarget }
  /** Nanoseconds, which answers show; in bodies also a text such as 15s, and numbers below 1000 are seconds. */
  | { readonly type: 'delay' }
  /** Nanoseconds, which answers show; in bodies also a text such as 15s. */
  | { readonly type: 'nanoseconds' }
  /** A duration as it is printed, 1m0s; empty for none. In bodies any text of one, or nanoseconds. */
  | { readonly type: 'durationText' }
  | { readonly type: 'list'; readonly of: ValueType }
  /** Null if omitted, which differs from empty. */
  | { readonly type: 'orNull'; readonly of: ValueType }
  /** As `orNull`, but null says nothing in bodies. */
  | { readonly type: 'orNone'; readonly of: ValueType }
  /** Taken only where it says nothing: '', false, or no items. */
  | { readonly type: 'empty'; readonly of: 'text' | 'flag' | 'list' }
  /** Any keys, whose values have one form. */
  | { readonly type: 'map'; readonly of: ValueType }
  /** One with a name stands under it in the API's description. In bodies one that is open may have other fields, which are ignored. */
  | { readonly type: 'object'; readonly fields: Fields; readonly name?: string; readonly isOpen?: true }
  /** Null says nothing in bodies, and is never stored. */
  | { readonly type: 'nullTaken'; readonly of: ValueType }
  /** Any JSON object, kept as it is given. */
  | { readonly type: 'free' }

export type LinkTarget = 'policy' | 'role'

/** When an answer has a field. */
export type Visibility =
  | 'always'
  /** Left out when it is empty. */
  | 'filled'
  /** Left out when it is not stored. */
  | 'as stored'
  /** Null when it is empty. */
  | 'nullable'
  | 'never'
  /** Put there by who answers, and not from the row; it may be missing. */
  | 'from elsewhere'

export type FieldAuthor = 'caller' | 'service' | 'tenancy'
export type StoragePolicy = 'always' | 'filled' | 'never'
/** `tracked` fields distinguish an omitted value from an empty one. */
export type AbsenceTracking = 'empty' | 'tracked'

export interface Field<
  F extends ValueType = ValueType,
  By extends FieldAuthor = FieldAuthor,
  Has extends StoragePolicy = StoragePolicy,
  Lacks extends AbsenceTracking = AbsenceTracking
> {
  readonly form: F
  /** For the documentation: what it means, and which rule it has. */
  readonly description: string
  /** Who says it. Bodies may hold what the service sets, which is ignored, so that what was read can be sent back. */
  readonly by: By
  /** When events and rows have it. */
  readonly stored: Has
  readonly absence: Lacks
  /** When an answer about one has it. */
  readonly shown: Visibility
  readonly listed: Visibility
  readonly filterable: boolean
  /** Whether the content hash of the resource covers the field. */
  readonly hashed: boolean
  /** What stands for nothing said, where that is not the empty value. */
  readonly otherwise: unknown
}

/** By name, in the order in which they are stored and shown. */
export type Fields = Readonly<Record<string, Field>>

/** A link as it is stored: the name is that of its target at the time of writing (spec: acl.md §6.1). */
export interface Link {
  readonly ID: string
  readonly Name: string
}

/** A link as a caller writes it: the ID alone decides when it is given. */
export interface LinkInput {
  readonly ID?: string
  readonly Name?: string
}

type Names<F extends Fields, Want extends Partial<Field>> = {
  [Name in keyof F]: F[Name] extends Want ? Name : never
}[keyof F]

/** Of a shape of which nothing is known. */
type AnyFields = Readonly<Record<string, unknown>>

type Flat<T> = { readonly [Name in keyof T]: T[Name] }

/** What a body may hold. */
export type RequestBodyOf<F extends Fields> = {
  readonly [Name in keyof F]?: ValueOf<F[Name]['form'], 'given'>
}

/** What a body may hold of what a caller says. */
export type WritableBodyOf<F extends Fields> = {
  readonly [Name in Names<F, { by: 'caller' }>]?: ValueOf<F[Name]['form'], 'given'>
}

/** What a command holds of a body: what the caller may say, with the empty value for what was not said. */
export type Input<F extends Fields> = Fields extends F
  ? AnyFields
  : Flat<
      {
        readonly [Name in Names<F, { by: 'caller'; absence: 'empty' }>]: ValueOf<F[Name]['form'], 'input'>
      } & {
        readonly [Name in Names<F, { by: 'caller'; absence: 'tracked' }>]:
          ValueOf<F[Name]['form'], 'input'> | undefined
      }
    >

/** What events and rows hold. */
export type Stored<F extends Fields> = Fields extends F
  ? AnyFields
  : Flat<
      { readonly [Name in Names<F, { stored: 'always' }>]: ValueOf<F[Name]['form'], 'stored'> } & {
        readonly [Name in Names<F, { stored: 'filled' }>]?: ValueOf<F[Name]['form'], 'stored'>
      }
    >

/** What is stored of what a caller said. */
export type StoredInput<F extends Fields> = Flat<
  {
    readonly [Name in Names<F, { by: 'caller'; stored: 'always' }>]: ValueOf<F[Name]['form'], 'stored'>
  } & {
    readonly [Name in Names<F, { by: 'caller'; stored: 'filled' }>]?: ValueOf<F[Name]['form'], 'stored'>
  }
>

/** What is stored of an input in which links were looked up and choices checked; secrets are not among it. */
export type Content<F extends Fields, Said> = Fields extends F
  ? AnyFields
  : Flat<
      {
        readonly [Name in keyof Said & ContentNames<F, 'always'>]: ContentOf<
          F[Name]['form'],
          Exclude<Said[Name], undefined>
        >
      } & {
        readonly [Name in keyof Said & ContentNames<F, 'filled'>]?: ContentOf<
          F[Name]['form'],
          Exclude<Said[Name], undefined>
        >
      }
    >

type ContentOf<F extends ValueType, Said> = F extends {
  readonly type: 'object'
  readonly fields: infer Inner extends Fields
}
  ? Content<Inner, Said>
  : Said

type ContentNames<F extends Fields, Has extends StoragePolicy> = Exclude<
  Names<F, { by: 'caller'; stored: Has }>,
  Names<F, { form: { readonly type: 'secret' } }>
>

/** Where a value is: in a body, in a command, or in events and rows. */
type Stage = 'given' | 'input' | 'stored'

/** A value of a form. */
type ValueOf<F extends ValueType, At extends Stage> = ValueType extends F
  ? unknown
  : F extends { readonly type: 'list'; readonly of: infer Item extends ValueType }
    ? readonly ValueOf<Item, At>[]
    : F extends { readonly type: 'map'; readonly of: infer Item extends ValueType }
      ? Readonly<Record<string, ValueOf<Item, At>>>
      : F extends { readonly type: 'orNull'; readonly of: infer Item extends ValueType }
        ? ValueOf<Item, At> | null
        : F extends { readonly type: 'orNone'; readonly of: infer Item extends ValueType }
          ? {
              given: ValueOf<Item, At>
              input: ValueOf<Item, At> | null
              stored: ValueOf<Item, At> | null
            }[At]
          : F extends { readonly type: 'nullTaken'; readonly of: infer Inner extends ValueType }
            ? ValueOf<Inner, At> | { given: null; input: never; stored: never }[At]
            : F extends { readonly type: 'object'; readonly fields: infer Inner extends Fields }
              ? { given: RequestBodyOf<Inner>; input: Input<Inner>; stored: Stored<Inner> }[At]
              : F extends { readonly type: 'choice'; readonly of: readonly (infer Choice)[] }
                ? { given: string; input: string; stored: Choice }[At]
                : F extends { readonly type: infer Type extends keyof Simple<At> }
                  ? Simple<At>[Type]
                  : never

/** Values of forms without parts. */
interface Simple<At extends Stage> {
  readonly text: string
  readonly time: string
  readonly flag: boolean
  readonly integer: number
  readonly unsigned: { given: number | bigint; input: number | bigint; stored: number | string }[At]
  readonly empty: { given: '' | false | readonly never[]; input: never; stored: never }[At]
  readonly free: Readonly<Record<string, unknown>>
  readonly secret: { given: string; input: string; stored: '' }[At]
  readonly duration: { given: string | number; input: number; stored: number }[At]
  readonly delay: { given: string | number; input: number; stored: number }[At]
  readonly nanoseconds: { given: string | number; input: number; stored: number }[At]
  readonly durationText: { given: string | number; input: string; stored: string }[At]
  readonly links: { given: readonly LinkInput[]; input: readonly LinkInput[]; stored: readonly Link[] }[At]
}

/** The declaration of one resource kind. */
export interface ResourceDefinition<F extends Fields = Fields> {
  /** What errors and the API's description call one. */
  readonly name: string
  readonly fields: F
  /** One of them for the API's description: what a caller says, and what an answer shows besides or otherwise. */
  readonly example: Readonly<Record<'given' | 'made', Readonly<Record<string, unknown>>>>
  /**
   * What the content hash covers, in the order of the hashes that are in logs. Fields that are `added` are not named here:
   * they are covered where they are filled.
   */
  readonly hashOrder?: readonly string[]
  /** True where bodies know nothing of what the service sets: it is then as any field that is not declared. */
  readonly isNotSentBack?: true
  /** What the API's description calls an answer about one, where that is not `name`. */
  readonly answerName?: string
}
