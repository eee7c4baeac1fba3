<<<<<<<< HEAD:service/web/pages/built/chunks/chunk-VLTBWQRB.js
import{b as e}from"./chunk-DRBYJXHK.js";async function m(o,i,a){for(let t=!0;!i.aborted;t=!1){try{(t||document.visibilityState==="visible")&&await a()}catch(r){!i.aborted&&!e(r)&&reportError(r)}await new Promise(r=>setTimeout(r,o))}}export{m as a};
========
import{h as e}from"./chunk-UYQROQH2.js";async function m(o,i,a){for(let t=!0;!i.aborted;t=!1){try{(t||document.visibilityState==="visible")&&await a()}catch(r){!i.aborted&&!e(r)&&reportError(r)}await new Promise(r=>setTimeout(r,o))}}export{m as a};
>>>>>>>> 7981e656dd831ca28cb99afcfa9d6eebb2d69b3b:service/web/pages/built/chunks/chunk-HOR2LYKC.js
