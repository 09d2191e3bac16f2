import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useTenancy } from '../session/tenancy.js'
import { asOfIndex } from '../time-travel/as-of-state.js'
import { Button } from './button.js'
import { type Requirement, useDenial } from './guard.js'
import { Heading } from './heading.js'
import { SubmitButton, SubmitForm } from './submit-form.js'

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

interface CreateLinkProps extends Omit<Requirement, 'place'> {
  /** The singular of the resources. */
  readonly what: string
  /** The page that creates one, or a function that opens its form. */
  readonly to: string | (() => void)
}

/** The main action of a list, or the permission that it requires. Renders nothing during time travel. */
export const CreateLink = ({ what, to, ...requirement }: CreateLinkProps) => {
  const denial = useDenial({ ...requirement, place: useTenancy().query })
  if (asOfIndex.value !== undefined) return null
  if (denial !== undefined) return <span class="quiet">{denial}</span>
  return typeof to === 'string' ? (
    <a class="button primary" href={to}>
      Create {what}
    </a>
  ) : (
    <Button label={`Create ${what}`} act={to} class="primary" />
  )
}

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
  return (
    <SubmitForm class="filter-field" failure={failure} submit={() => change(text.trim())}>
      <input
        aria-label="Filter expression"
        aria-invalid={failure !== undefined}
        placeholder={example}
        spellcheck={false}
        autocapitalize="off"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          if (currentTarget.value === '') change('')
        }}
      />
      <SubmitButton label="Filter" />
    </SubmitForm>
  )
}
