import { useId, useState } from 'preact/hooks'

interface Props {
  /** Such as `ServiceMeta.version == "2"`. */
  readonly example: string
  /** The error of the server, if it rejected the expression. */
  readonly failure: string | undefined
  /** Receives the submitted expression; empty for all. */
  readonly change: (expression: string) => void
}

export const FilterField = ({ example, failure, change }: Props) => {
  const [text, setText] = useState('')
  const id = useId()
  return (
    <form
      class="filter-field"
      onSubmit={event => {
        event.preventDefault()
        change(text.trim())
      }}
    >
      <input
        aria-label="Filter expression"
        aria-invalid={failure !== undefined}
        aria-describedby={failure === undefined ? undefined : id}
        placeholder={example}
        spellcheck={false}
        autocapitalize="off"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          if (currentTarget.value === '') change('')
        }}
      />
      <button type="submit">Filter</button>
      {failure !== undefined && (
        <span role="alert" class="refused" id={id}>
          {failure}
        </span>
      )}
    </form>
  )
}
