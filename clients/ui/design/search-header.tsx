import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
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

interface Props {
  readonly title: string
  readonly search: (text: string) => void
  readonly children?: ComponentChildren
}

export const SearchHeader = ({ title, search, children }: Props) => {
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
    </header>
  )
}
