import{g as e}from"./chunk-QGBMVHBO.js";function r(t,n){t.getAttribute("translate")!=="no"&&(t.translate=!1,t.replaceChildren()),e(n,t)}export{r as a};
