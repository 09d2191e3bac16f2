// The head of a page that is a list: its heading, and what is searched for, which the address may say first.
// <SearchHeader title="Locks" search={setSearch} />
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from './heading.js'
import { SearchInput } from './search-input.js'

interface Props {
  readonly title: string
  readonly search: (text: string) => void
  /** What else one can do there. */
  readonly children?: ComponentChildren
}

export const SearchHeader = ({ title, search, children }: Props) => {
  const { search: asked = '' } = useLocation().query
  const [text, setText] = useState(asked)
  const change = (wanted: string): void => {
    setText(wanted)
    search(wanted)
  }
  useEffect(() => change(asked), [asked])
  return (
    <header>
      <Heading>{title}</Heading>
      {children}
      <SearchInput label={title} value={text} change={change} />
    </header>
  )
}
