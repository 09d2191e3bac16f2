// The head of a page that is a list: its heading, and what is searched for, which the address may say first.
// <SearchHeader title="Locks" search={setSearch} />
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from './heading.js'

interface Props {
  readonly title: string
  readonly search: (text: string) => void
  /** What else one can do there. */
  readonly children?: ComponentChildren
}

export const SearchHeader = ({ title, search, children }: Props) => {
  const { search: asked = '' } = useLocation().query
  useEffect(() => search(asked), [asked])
  return (
    <header>
      <Heading>{title}</Heading>
      {children}
      <input
        type="search"
        id="search"
        placeholder="Search ( / )"
        aria-label={`Search in ${title}`}
        defaultValue={asked}
        onInput={({ currentTarget }) => search(currentTarget.value)}
      />
    </header>
  )
}
