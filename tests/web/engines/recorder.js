// Writes down what goes wrong in a page, from before its first module until it is left.
{
  let isLeft = false;
  // What a page was loading is then broken off.
  addEventListener('beforeunload', () => { isLeft = true; });
  const noted = (kind, what) => {
    if (isLeft) return;
    const before = JSON.parse(sessionStorage.getItem('faults') ?? '[]');
    sessionStorage.setItem('faults', JSON.stringify([...before, `${kind}: ${what}`]));
  };
  addEventListener('error', ({ target, message }) => {
    noted('thrown', message ?? `${target.src ?? target.href} cannot be loaded`);
  }, true);
  addEventListener('unhandledrejection', ({ reason }) => noted('unhandled', reason));
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    noted('policy', `${violatedDirective} ${blockedURI}`);
  });
  const { error } = console;
  console.error = (...what) => {
    noted('logged', what.join(' '));
    error.apply(console, what);
  };
}
