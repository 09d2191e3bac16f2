const text = (value: unknown, name: string): string => String(Reflect.get(Object(value), name) ?? '')

/** Links to related resources. @param path segment in the address of their pages @param of objects with ID and Name */
export const linksTo = (path: string, of: unknown) =>
  Array.isArray(of) && of.length > 0
    ? of.map((each: unknown, at) => (
        <span key={text(each, 'ID')}>
          {at > 0 && ', '}
          <a href={`/ui/${path}/one?${new URLSearchParams({ key: text(each, 'ID') })}`}>
            {text(each, 'Name') || text(each, 'ID')}
          </a>
        </span>
      ))
    : null
