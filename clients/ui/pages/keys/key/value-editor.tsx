// A value in an editor of its type, and the flags beside it.
import { useState } from 'preact/hooks'
import { CodeEditor } from '../../../components/code-editor.js'
import { Refusal } from '../../../components/notice.js'
import { parseExact } from '../../../session/exact-json.js'
import { messageOf } from '../../../../../events/errors.js'
import { useResponse } from '../../../session/use-response.js'
import { contentTypes, isContentType, type ContentType } from '../values/content-types.js'
import { bytesOf, retyped, type Draft } from './draft.js'

const LANGUAGES: Readonly<Partial<Record<ContentType, 'json' | 'hcl'>>> = { json: 'json', hcl: 'hcl' }

/** Bytes from which on it is worth knowing how many there may be. */
const LARGE = 64 * 1024

interface Configuration {
  readonly limits?: { readonly kv_max_value_size?: number }
}

/** Bytes that a value may have, where the token may know: the server says it of a value that is too large in any case. */
const useLimit = (size: number): number | undefined =>
  useResponse<Configuration>(size < LARGE ? undefined : '/v1/agent/configuration').value?.limits
    ?.kv_max_value_size

/** How many bytes a draft has, or why it is no value. */
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

export const ValueEditor = ({ draft, change }: Props) => {
  const [failure, setFailure] = useState<string>()
  const { text, type, flags } = draft
  const { size, fault } = sizeOf(draft)
  const limit = useLimit(size)
  const attempt = (made: () => Draft): void => {
    try {
      setFailure(undefined)
      change(made())
    } catch (error) {
      setFailure(messageOf(error))
    }
  }
  const indented = (): Draft => ({ ...draft, text: JSON.stringify(parseExact(text), undefined, 2) })
  return (
    <>
      <p class="choices">
        <label>
          Shown as{' '}
          <select
            value={type}
            onChange={({ currentTarget }) => {
              const { value } = currentTarget
              if (isContentType(value)) attempt(() => retyped(draft, value))
              // What cannot be shown so stays what it is.
              currentTarget.value = type
            }}
          >
            {Object.entries(contentTypes).map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {type === 'json' && (
          <button type="button" onClick={() => attempt(indented)}>
            Indent
          </button>
        )}
        <label>
          Flags{' '}
          <input
            class="flags"
            inputMode="numeric"
            value={flags}
            onInput={({ currentTarget }) => change({ ...draft, flags: currentTarget.value })}
          />
        </label>
        <span class="index">
          {size.toLocaleString('en')} {limit === undefined ? '' : `of ${limit.toLocaleString('en')} `}bytes
        </span>
      </p>
      <Refusal
        text={
          limit !== undefined && size > limit
            ? `The server takes ${limit.toLocaleString('en')} bytes at most.`
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
