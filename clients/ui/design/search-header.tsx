import type { ComponentChildren } from 'preact'
import { useEffect, useState, useId } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from './heading.js'

interface SearchInputProps {
  readonly label: string
  readonly value: string
  readonly change: (text: string) => void
}

export const SearchInput = ({ label, value, change }: SearchInputProps) => (
  <input
    type="search"
    id="search"
    placeholder="Search ( / )"
    aria-label={`Search in ${label}`}
    value={value}
    onInput={({ currentTarget }) => change(currentTarget.value)}
  />
)

interface CreateLinkProps {
  /** The singular of the resources. */
  readonly what: string
  /** The page that creates one. */
  readonly href: string
  readonly query?: Readonly<Record<string, string>> | undefined
}

/** The main action of a list. */
export const CreateLink = ({ what, href, query }: CreateLinkProps) => (
  <a class="button primary" href={query ? `${href}?${new URLSearchParams(query)}` : href}>
    Create {what}
  </a>
)

interface Props {
  readonly title: string
  readonly search: (text: string) => void
  /** Creates what is listed. */
  readonly action?: ComponentChildren
  /** Filters of the list. */
  readonly children?: ComponentChildren
}

export const SearchHeader = ({ title, search, action, children }: Props) => {
  const { search: initial = '' } = useLocation().query
  const [text, setText] = useState(initial)
  const change = (changed: string): void => {
    setText(changed)
    search(changed)
  }
  useEffect(() => change(initial), [initial])
  return (
    <header>
      <Heading>{title}</Heading>
      {children}
      <SearchInput label={title} value={text} change={change} />
      {action}
    </header>
  )
}

interface FilterFieldProps {
  /** Such as `ServiceMeta.version == "2"`. */
  readonly example: string
  /** The error of the server, if it rejected the expression. */
  readonly failure: string | undefined
  /** Receives the submitted expression; empty for all. */
  readonly change: (expression: string) => void
}

export const FilterField = ({ example, failure, change }: FilterFieldProps) => {
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
