import { useState } from 'preact/hooks'
import { Button, CodeEditor, Refusal, Field, Select } from '../../../design/index.js'
import { parseExact } from '../../../session/exact-json.js'
import { messageOf } from '../../../../../events/errors.js'
import { useResponse } from '../../../session/use-response.js'
import { contentTypes, isContentType, type ContentType } from '../values/content-types.js'
import { bytesOf, retyped, type Draft } from './draft.js'

const LANGUAGES: Readonly<Partial<Record<ContentType, 'json' | 'hcl'>>> = { json: 'json', hcl: 'hcl' }

/** The size in bytes from which on the limit is requested. */
const LARGE = 64 * 1024

interface Configuration {
  readonly limits?: { readonly kv_max_value_size?: number }
}

/** Returns the maximum size of a value in bytes, if the token has permission to read it. */
const useLimit = (size: number): number | undefined => {
  const { value } = useResponse<Configuration>(size < LARGE ? undefined : '/v1/agent/configuration')
  return value?.limits?.kv_max_value_size
}

/** Returns the size of a draft in bytes, or its fault. */
const sizeOf = (draft: Draft): { readonly size: number; readonly fault?: string } => {
  try {
    return { size: bytesOf(draft).length }
  } catch (error) {
    return { size: 0, fault: messageOf(error) }
  }
}

interface Props {
  readonly draft: Draft
  readonly change: (draft: Draft) => void
}

const indented = (draft: Draft): Draft => ({
  ...draft,
  text: JSON.stringify(parseExact(draft.text), undefined, 2)
})

export const ValueEditor = ({ draft, change }: Props) => {
  const [failure, setFailure] = useState<string>()
  const { text, type, flags } = draft
  const { size, fault } = sizeOf(draft)
  const limit = useLimit(size)
  const attempt = (create: () => Draft): void => {
    try {
      setFailure(undefined)
      change(create())
    } catch (error) {
      setFailure(messageOf(error))
    }
  }
  return (
    <>
      <p class="choices">
        <Select
          key={failure}
          label="Format"
          options={Object.entries(contentTypes)}
          value={type}
          change={value => {
            if (isContentType(value)) attempt(() => retyped(draft, value))
          }}
        />
        {type === 'json' && <Button label="Indent" act={() => attempt(() => indented(draft))} />}
        <Field
          label="Flags"
          name="flags"
          value={flags}
          change={changed => change({ ...draft, flags: changed })}
        />
        <span class="index">
          {size.toLocaleString('en')} {limit === undefined ? '' : `of ${limit.toLocaleString('en')} `}bytes
        </span>
      </p>
      <Refusal
        text={
          limit !== undefined && size > limit
            ? `The limit is ${limit.toLocaleString('en')} bytes.`
            : undefined
        }
      />
      <CodeEditor
        key={type}
        label="Value"
        language={LANGUAGES[type] ?? 'text'}
        value={text}
        change={changed => change({ ...draft, text: changed })}
      />
      <Refusal text={fault ?? failure} />
    </>
  )
}
