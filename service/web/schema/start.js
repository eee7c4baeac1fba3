/** Shows the description, in a form that keyboards and screen readers can use. */
(() => {
  'use strict';

  /** A plugin of Swagger UI that corrects what its own components leave out. */
  const accessible = ({ React }) => {
    const element = React.createElement;

    /** A component whose elements are corrected when they are on the page. */
    const corrected = (correct) => (Original) => (given) => {
      const ref = (box) => box && correct(box);
      return element('div', { ref }, element(Original, given));
    };

    return {
      wrapComponents: {
        // A heading is a button by itself: a link within it could not be reached.
        DeepLink: () => ({ text }) => element('span', {}, text),
        // The only server is this one.
        ServersContainer: () => () => null,
        TextArea: (Original) => (given) => element(Original, { 'aria-label': 'Body', ...given }),
        ExamplesSelect: (Original) => (given) => element('label', {}, element(Original, given)),
        // Code scrolls, so the keyboard has to reach it; its colours were too faint.
        SyntaxHighlighter: () => ({ children }) => (
          element('pre', { className: 'microlight', tabIndex: 0 }, children)
        ),
        // A table is no landmark, least of all each of them by the same name.
        responses: corrected((box) => {
          box.querySelector('.responses-table')?.removeAttribute('role');
        }),
        // Its heading is an h4 right behind an h2.
        OAS31Models: corrected((box) => {
          box.querySelector('.models > h4')?.setAttribute('aria-level', '2');
        }),
        Select: corrected((box) => {
          const name = box.closest('[data-param-name]')?.dataset.paramName ?? 'Value';
          box.querySelector('select')?.setAttribute('aria-label', name);
        }),
      },
    };
  };

  SwaggerUIBundle({
    url: new URL('../openapi.json', document.currentScript.src).href,
    dom_id: '#api',
    deepLinking: true,
    persistAuthorization: false,
    // Drawn when opened: they are many.
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    validatorUrl: null,
    plugins: [accessible],
  });
})();
